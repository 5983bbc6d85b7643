epochcast 2>/dev/null
