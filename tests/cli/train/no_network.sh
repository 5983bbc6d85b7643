epochcast train --data synthetic
