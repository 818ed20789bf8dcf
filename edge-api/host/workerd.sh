#!/bin/sh
# Runs workerd so that it ends with the program that started it, even where that one is killed: a workerd left behind would keep
# the port and the database. $ASSAY_WORKERD names the real program.
if setpriv --pdeathsig KILL true 2>/dev/null; then
  exec setpriv --pdeathsig KILL "$ASSAY_WORKERD" "$@"
fi
# Without Linux's signal for this, a loop watches; it keeps none of workerd's pipes open.
parent=$PPID
(
  while kill -0 "$parent" && kill -0 $$; do sleep 0.2; done
  kill -KILL $$
) </dev/null >/dev/null 2>&1 3>&- &
exec "$ASSAY_WORKERD" "$@"
