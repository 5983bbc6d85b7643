python3 -c 'print("{\"id\": \"" + "x" * 2000000 + "\"}\n{\"device\": \"t4\"}")' |
    epochcast predict --requests -
