epochcast report || true
epochcast report nowhere || true
mkdir empty
epochcast report empty
