mkfifo ask
epochcast predict --requests - < ask > answers &
exec 3> ask
echo "{\"id\": 1, \"device\": \"t4\"}" >&3
i=0
while [ ! -s answers ] && [ $i -lt 100 ]; do sleep 0.1; i=$((i + 1)); done
cat answers
exec 3>&-
wait
