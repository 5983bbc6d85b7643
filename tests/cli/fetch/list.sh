epochcast fetch --dir . 
