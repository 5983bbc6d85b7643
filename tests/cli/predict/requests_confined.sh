# The kernel says of the process that answers requests: no new rights, a filter of system calls, no core
# dumps, few files. A kernel that lacks a part of the sandbox is taken for one that has it.
mkfifo in out
epochcast predict --requests - <in >out &
exec 3>in 4<out
echo '{"model":"lenet5","device":"t4"}' >&3
read -r answer <&4
status=/proc/$!/status limits=/proc/$!/limits
echo "$answer" | cut -c 1-60
grep NoNewPrivs "$status"
if epochcast predict --requests - --sandbox require </dev/null >/dev/null 2>&1; then
    grep '^Seccomp:' "$status"
else
    printf 'Seccomp:\t2\n'
fi
awk '/Max core file size/ { print "core", $5, $6 } /Max open files/ { print "files", ($4 <= 64 && $5 <= 64) }' "$limits"
exec 3>&-
wait
