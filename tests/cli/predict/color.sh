# Bold titles and coloured verdicts, on demand; a file has none, and neither have CSV and JSON.
ask='epochcast predict bert_base -d t4,a100-sxm4-40gb -b 32'
$ask --color=always | grep -c "$(printf '\033')\[1mdevice"
$ask --color=always | grep -o "$(printf '\033')\[3[0-9]m[a-z]*" | cut -c 3-
$ask | grep -c "$(printf '\033')"
$ask --color=always --csv | grep -c "$(printf '\033')"
$ask --color=blue
