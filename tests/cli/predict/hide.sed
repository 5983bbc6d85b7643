# Hides what moves when the constants are fitted anew: times, memory, rates, what limits, what is
# behind. Blanks and rules follow the width of what is hidden.
s/─+/─/g
s/ (yes|no|likely|unlikely) +(compute|memory bandwidth|kernel launches|host dispatch|communication)/ # #/
s/^( *fits) +[a-z]+/\1 #/
s/([|,] ?)(yes|no|likely|unlikely)( ?[|,])/\1#\3/
s/(^|[ (])[0-9][0-9.]* (d|h|min|s|ms|us|ns|[KMGTP]iB|B|[kMGT])\b/\1#/g
s/ -?[0-9][0-9.]*( |\)|$)/ #\1/g
s/\b(compute|memory bandwidth|kernel launches|host dispatch|communication)\b/#/g
/note: the interval is wide because/d
/^  no (network|operator) of this kind was measured on this device/d
s/(the estimate rests on) .*/\1 #/
s/\b(measured|specification)\b/#/g
s/^( *device time:) .*/\1 #/
s/waits for (the device|the host|#)$/waits for #/
s/("[a-z_0-9]*(_ns|_bytes|_per_s|_frac|_probability|p05|p50|p95)": ?)-?[0-9][0-9.e+-]*/\1#/g
s/("ratio_to_own": ?)[0-9.]+/\1#/g
s/("fits": ?)(true|false)/\1#/g
s/,[0-9][0-9.e+-]*/,#/g
s/(extrapolating:).*/\1 #/
s/ +/ /g
