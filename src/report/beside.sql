-- Sentences on measured rows beside their predictions. Tables: beside, of the rows of all tables; misfit, of runs that ran
-- out of memory. name is that of the table, '' where there is only one; part numbers tables.

CREATE VIEW placed AS
SELECT *, iif(name = '', '', name || ' ') || printf('line %d', line) AS place FROM beside;

-- How far off the rows are, and how many are inside. distance is of the logarithm of the ratio from 0.
WITH whole AS (SELECT count(*) AS n, sum(inside) AS n_inside, median(abs(off)) AS half FROM beside)
SELECT iif(n = 1,
           printf('the prediction is %s %% %s the measurement, which is %s the 90 %% interval', fixed(half * 100, 0),
                  iif(off < 0, 'below', 'above'), iif(n_inside, 'inside', 'outside')),
           printf('inside their 90 %% interval: %d of %d measurements; half of the predictions are off by at most '
                  || '%s %%, the worst is %s %% %s its measurement (%s)',
                  n_inside, n, fixed(half * 100, 0), fixed(abs(off) * 100, 0), iif(off < 0, 'below', 'above'), place))
FROM whole, (SELECT * FROM placed ORDER BY distance DESC, i LIMIT 1);

-- The likely causes with their lines, the first of many: "line 3", "lines 3, 4, 5", "a.csv line 3, b.csv line 2".
WITH numbered AS (SELECT *, row_number() OVER (PARTITION BY cause ORDER BY i) AS at FROM placed WHERE cause <> ''),
     listed AS (SELECT cause, min(i) AS first, count(*) AS n, at_min(likely, i) AS likely, max(name) AS name,
                       group_concat(iif(name = '', printf('%d', line), place), ', ') FILTER (WHERE at <= 6) AS lines
                FROM numbered GROUP BY cause),
     ranked AS (SELECT *, row_number() OVER (ORDER BY first) AS rank FROM listed)
SELECT iif(rank <= 6,
           printf('%s%s%s, likely %s: %s', iif(name = '', iif(n > 1, 'lines ', 'line '), ''), lines,
                  iif(n > 6, printf(' and %d more', n - 6), ''), likely, cause),
           printf('%d further causes: --csv has those of all rows', (SELECT count(*) FROM listed) - 6))
FROM ranked WHERE rank <= 7 ORDER BY rank;

-- Runs that did not fit: of each table the first ones.
SELECT iif(at <= 10, printf('%sline %d, %.40s, batch %d: %s', iif(name = '', '', name || ' '), line, what, batch, verdict),
           printf('of %d rows that ran out of memory the predictions of %d agree; --csv has all', n, n_agree))
FROM (SELECT *, row_number() OVER (PARTITION BY part ORDER BY i) AS at, count(*) OVER (PARTITION BY part) AS n,
             sum(agrees) OVER (PARTITION BY part) AS n_agree
      FROM misfit)
WHERE at <= 11 ORDER BY i;

-- The device of the first row outside can be calibrated to its tables and folders, if its times are right.
WITH used AS (SELECT device, given, min(i) AS first FROM beside GROUP BY device, given)
SELECT printf('if these times are what you will get, adapt the predictions to them: epochcast calibrate --device %s'
              || '%s --out %s.json', device,
              (SELECT group_concat(' --table ' || given, '')
               FROM (SELECT given FROM used WHERE used.device = beside.device ORDER BY first)),
              device)
FROM beside WHERE calibrates ORDER BY i LIMIT 1;
