#!/bin/sh
# Runs workerd and ends it with the program that started it, even if that program is killed. A leftover workerd would keep the port
# and the database. $ASSAY_WORKERD is the path of the real program.
if setpriv --pdeathsig KILL true 2>/dev/null; then
  exec setpriv --pdeathsig KILL "$ASSAY_WORKERD" "$@"
fi
# Where Linux's signal is not available, a loop watches the parent. The loop keeps none of workerd's pipes open.
parent=$PPID
(
  while kill -0 "$parent" && kill -0 $$; do sleep 0.2; done
  kill -KILL $$
) </dev/null >/dev/null 2>&1 3>&- &
exec "$ASSAY_WORKERD" "$@"
