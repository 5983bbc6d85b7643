epochcast dataset synthetik
