epochcast study composition
