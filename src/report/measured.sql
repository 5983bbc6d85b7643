-- Runs as a store has them: which are one, what their environments are called, their order, what is said of them; and what
-- reports show of groups of them. Tables: run; ceiling(device, precision, flop_per_s, bytes, bytes_per_s), of measured
-- ceilings.

-- Of runs that agree sample for sample, as in a table that was made from others, the first is the original; few samples
-- may agree by chance.
CREATE VIEW copied AS
SELECT i, min(i) OVER (PARTITION BY iif(n >= 5 AND std_ns > 0 AND first_ns > 0, 0, i), n, mean_ns, std_ns, first_ns,
                                    batch_size, model) AS original
FROM run;

CREATE VIEW copies_note AS
WITH copy AS MATERIALIZED (SELECT * FROM copied WHERE i <> original)
SELECT printf('%d run%s left out: other tables have the same samples (%s at batch %d of %s is that of %s)',
              (SELECT count(*) FROM copy), iif((SELECT count(*) FROM copy) = 1, ' is', 's are'), run.model,
              run.batch_size, run.env, other.env)
FROM (SELECT * FROM copy ORDER BY original, i LIMIT 1) JOIN run USING(i) JOIN run AS other ON other.i = original;

-- one: the first of the same run, whose readings differ in their clocks alone; step: of the same work
CREATE VIEW kept AS
SELECT i, env, device, model, mode, precision, batch_size, framework, threads, num_devices, loads_data,
       min(i) OVER (PARTITION BY model, batch_size, image_px, seq_len, words, env, device, threads, devices_given,
                                 loads_data, outcome) AS one,
       dense_rank() OVER (ORDER BY model, batch_size, image_px, seq_len, words) AS step
FROM copied JOIN run USING(i) WHERE i = original;

-- An environment is called by its name, and by those of device, framework, threads and data that differ in it.
CREATE VIEW named AS
WITH own AS MATERIALIZED (SELECT * FROM kept),
     part AS (SELECT env, min(device) < max(device) AS devices, min(framework) < max(framework) AS frameworks,
                     min(threads) < max(threads) AS several_threads, min(loads_data) < max(loads_data) AS loads
              FROM own GROUP BY env)
SELECT i, one, step, model, mode, precision, batch_size,
       env || iif(devices AND device <> '', ', ' || device, '')
         || iif(frameworks AND framework <> '', ', ' || framework, '')
         || iif(several_threads AND threads > 0, printf(', %d thread%s', threads, iif(threads = 1, '', 's')), '')
         || iif(num_devices > 1, printf(', %d devices', num_devices), '')
         || iif(loads AND loads_data, ', loading data', '') AS place
FROM own JOIN part USING(env);

-- A campaign measures in random order: environments and networks are in the order of their first runs. The rows of one
-- run follow each other.
CREATE VIEW arranged AS
WITH own AS MATERIALIZED (SELECT * FROM named),
     there AS (SELECT place, min(one) AS first_there FROM own GROUP BY place),
     network AS (SELECT model, min(one) AS first_of_it FROM own GROUP BY model)
SELECT i, one, step, place FROM own JOIN there USING(place) JOIN network USING(model)
ORDER BY first_there, first_of_it, mode DESC, precision, batch_size, one, i; -- training_step first

-- Runs that began slowly.
CREATE VIEW starts_note AS
SELECT printf('the first iteration of %d run%s took up to %s times the median; --skip leaves it out', count(*),
              iif(count(*) = 1, '', 's'), times(max(first_ns / median_ns)))
FROM run WHERE n > 2 AND first_ns > 2 * median_ns HAVING count(*) > 0;

-- Why networks are not counted: each once, of many the first.
CREATE VIEW uncounted_notes AS
WITH network AS (SELECT model, min(i) AS first, at_min(uncounted, i) AS why FROM run GROUP BY model),
     numbered AS (SELECT *, row_number() OVER (ORDER BY first) AS at FROM network WHERE why <> '')
SELECT iif(at <= 8, printf('%s is not counted: %s', model, why),
           printf('%d further networks are not counted', (SELECT count(*) FROM numbered) - 8))
FROM numbered WHERE at <= 9 ORDER BY at;

-- What is largest among the ceilings of a device: of arithmetic at the precision or at none; of copies the largest one's,
-- as caches hold smaller ones.
CREATE VIEW roofs AS
WITH arithmetic AS (SELECT device, precision, max(flop_per_s) AS best FROM ceiling GROUP BY device, precision),
     copying AS (SELECT device, bytes_per_s,
                        row_number() OVER (PARTITION BY device ORDER BY bytes DESC, bytes_per_s DESC) AS rank
                 FROM ceiling WHERE bytes_per_s > 0)
SELECT max(ifnull(own.best, 0), ifnull(bare.best, 0)), copying.bytes_per_s
FROM run
LEFT JOIN arithmetic AS own ON own.device = run.device AND own.precision = run.precision
LEFT JOIN arithmetic AS bare ON bare.device = run.device AND bare.precision = ''
LEFT JOIN copying ON copying.device = run.device AND rank = 1
ORDER BY run.i;

-- Training steps if there are any, and the precision of most environments; of equals that of most runs.
CREATE VIEW common AS
SELECT min(i) AS i, mode, precision FROM run
WHERE mode = (SELECT mode FROM run ORDER BY mode = 'training_step' DESC, i LIMIT 1)
GROUP BY precision ORDER BY count(DISTINCT env) DESC, count(*) DESC, min(i) LIMIT 1;

-- Columns that a table does not show: conditions that all runs share, tokens unless one network has several. Rooflines
-- name runs of one device by several frameworks by environment, and by device too if "t4, pytorch-2" is not among these.
CREATE VIEW needless AS
WITH differing AS (
  SELECT count(DISTINCT mode) > 1 AS modes, count(DISTINCT precision) > 1 AS precisions,
         count(DISTINCT job) > 1 AS jobs,
         count(DISTINCT iif(kind = 'measured', NULL, kind)) > 0 AS predicted,
         count(iif(env <> '' AND env <> device, 1, NULL)) > 0 AS environments,
         count(iif(substr(env, 1, length(device)) <> device, 1, NULL)) = 0 AS named
  FROM run)
SELECT 'mode' AS key, 0 AS of_roofline FROM differing WHERE NOT modes
UNION ALL SELECT 'precision', 0 FROM differing WHERE NOT precisions
UNION ALL SELECT 'job', 0 FROM differing WHERE NOT jobs
UNION ALL SELECT 'kind', 0 FROM differing WHERE NOT predicted
UNION ALL SELECT 'seq_len', 0
WHERE NOT EXISTS (SELECT 1 FROM run GROUP BY model HAVING min(ifnull(seq_len, 0)) < max(ifnull(seq_len, 0)))
UNION ALL SELECT 'env', 1 FROM differing WHERE NOT environments
UNION ALL SELECT 'device', 1 FROM differing WHERE environments AND named;

-- Each network, batch and length on a device once.
CREATE VIEW sized AS
SELECT min(i) AS i FROM run GROUP BY model, batch_size, seq_len, job, device ORDER BY 1;

-- Environments, with their precisions, which end where a page has no room for more; fp32: the last run at it.
CREATE VIEW environment AS
WITH word AS (SELECT env, precision, min(i) AS first FROM run GROUP BY env, precision),
     so_far AS (SELECT env, precision,
                       group_concat(precision, ', ') OVER (PARTITION BY env ORDER BY first) AS words
                FROM word),
     written AS (SELECT env, at_max(words, length(words)) AS precisions FROM so_far
                 WHERE length(words) - length(precision) - 2 <= 80 GROUP BY env),
     counted AS (SELECT env, min(i) AS first, count(*) AS n, max(iif(precision = 'fp32', i, NULL)) AS fp32
                 FROM run GROUP BY env)
SELECT first, n, fp32, precisions FROM counted JOIN written USING(env) ORDER BY first;

-- Errors of predictions, and of time under the roofs of the datasheet.
CREATE VIEW errors AS
WITH judged AS MATERIALIZED (
  SELECT i, env, mode, precision, model, median_ns, predicted_ns, roofline_ns,
         kind = 'measured' AND layer = '' AND predicted_ns IS NOT NULL AND median_ns IS NOT NULL AS counts
  FROM run),
said AS (
  SELECT 1 AS place, 'device' AS "by", env AS word, i, counts, median_ns, predicted_ns, roofline_ns FROM judged
  UNION ALL SELECT 2, 'mode', mode, i, counts, median_ns, predicted_ns, roofline_ns FROM judged
  UNION ALL SELECT 3, 'precision', precision, i, counts, median_ns, predicted_ns, roofline_ns FROM judged
  UNION ALL SELECT 4, 'family', model, i, counts, median_ns, predicted_ns, roofline_ns FROM judged)
SELECT "by", word, sum(counts),
       median_ape(median_ns, predicted_ns) FILTER (WHERE counts),
       mean_ape(median_ns, predicted_ns) FILTER (WHERE counts),
       p90_ape(median_ns, predicted_ns) FILTER (WHERE counts), r2(median_ns, predicted_ns) FILTER (WHERE counts),
       median(abs(roofline_ns / median_ns - 1)) FILTER (WHERE counts)
FROM said GROUP BY place, word HAVING sum(counts) > 0 ORDER BY place, min(i);
