#!/bin/sh
# Runs the program $ASSAY_PROGRAM, and ends it when the process that started this script ends, even if that process is killed. A leftover
# workerd or anvil would keep its port and its files. $ASSAY_END is the signal, KILL by default.
end=${ASSAY_END:-KILL}
if setpriv --pdeathsig "$end" true 2>/dev/null; then
  exec setpriv --pdeathsig "$end" "$ASSAY_PROGRAM" "$@"
fi
# Where Linux's signal is not available, a loop watches the parent. The loop keeps none of the program's pipes open.
parent=$PPID
(
  while kill -0 "$parent" && kill -0 $$; do sleep 0.2; done
  kill -s "$end" $$
) </dev/null >/dev/null 2>&1 3>&- &
exec "$ASSAY_PROGRAM" "$@"
