-- What comparisons of runs rest on, beside the views of measured.sql. Tables: run, of all runs; left_out, of those without
-- a time; reference, of one row: the environment of speed-ups, or NULL.

-- query: the same network, size, mode, precision, job and part of a step
CREATE TABLE job AS
SELECT i, env, device, model, batch_size, layer, mode, precision, threads, num_devices, words, images_per_s AS rate,
       ifnull(seq_len, 0) AS tokens, run.job AS how,
       dense_rank() OVER (ORDER BY model, image_px, seq_len, mode, precision, run.job, kind, layer) AS query,
       dense_rank() OVER (ORDER BY env) AS place
FROM run;

CREATE UNIQUE INDEX job_i ON job(i);

-- The environment that can be compared with most runs of others; of equals the slower one. Of each
-- network and batch an environment has its first run.
CREATE VIEW comparable AS
WITH first AS (
  SELECT query, batch_size, place, env, min(i) AS i, rate FROM job WHERE layer = ''
  GROUP BY query, batch_size, place),
counted AS (
  SELECT i, env, place, count(*) OVER (PARTITION BY query, batch_size) - 1 AS found,
         rank() OVER (PARTITION BY query, batch_size ORDER BY rate DESC) - 1 AS faster
  FROM first)
SELECT env, min(i) AS i FROM counted GROUP BY place HAVING sum(found) > 0
ORDER BY sum(found) + sum(faster) / (sum(found) + 1.0) DESC, min(i) LIMIT 1;

-- Speed-ups are over the first run of the reference; shares of the scaling over batches are of the
-- smallest batch of the environment, those over devices of the fewest of a type.
CREATE VIEW related AS
WITH near AS (
  SELECT i, layer, batch_size, num_devices, rate,
         min(iif(env = (SELECT env FROM reference), i, NULL))
           OVER (PARTITION BY query, batch_size) AS base,
         first_value(i) OVER batches AS small, last_value(batch_size) OVER batches AS largest,
         first_value(i) OVER devices AS few, last_value(num_devices) OVER devices AS most
  FROM job
  WINDOW batches AS (PARTITION BY query, place ORDER BY batch_size, i
                     ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING),
         devices AS (PARTITION BY query, batch_size, threads, device, words ORDER BY num_devices, i
                     ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING))
SELECT iif(near.layer = '', near.rate / base.rate, NULL) AS speedup,
       iif(small.batch_size < largest,
           near.rate / iif(near.batch_size > small.batch_size, small.rate, near.rate)
             * small.batch_size / near.batch_size, NULL) AS by_batch,
       iif(few.num_devices < most,
           near.rate / iif(near.num_devices > few.num_devices, few.rate, near.rate)
             * few.num_devices / near.num_devices, NULL) AS by_devices
FROM near LEFT JOIN job AS base ON base.i = near.base JOIN job AS small ON small.i = near.small
JOIN job AS few ON few.i = near.few
ORDER BY near.i;

-- Names of networks; with batch, tokens and job where these vary.
CREATE VIEW labelled AS
WITH lengths AS (SELECT model FROM job GROUP BY model HAVING min(tokens) < max(tokens)),
     ways AS (SELECT model FROM job GROUP BY model HAVING min(how) < max(how)),
     batches AS (SELECT query, place FROM job GROUP BY query, place
                 HAVING min(batch_size) < max(batch_size))
SELECT iif(layer <> '', '', model
         || iif(model IN lengths, printf(', batch %d, %d tokens', batch_size, tokens),
                iif((query, place) IN batches, printf(', batch %d', batch_size), ''))
         || iif(model IN ways AND how <> '', ', ' || how, ''))
FROM job ORDER BY i;

-- Of each query and environment the run with the largest batch, of equals the first.
CREATE VIEW leading AS
SELECT i FROM (
  SELECT job.i, job.layer, job.mode, job.precision,
         min(job.i) OVER (PARTITION BY query, place) AS first,
         row_number() OVER (PARTITION BY query, place ORDER BY batch_size DESC, job.i) AS rank
  FROM job)
JOIN (SELECT mode, precision FROM common) USING(mode, precision)
WHERE rank = 1 AND layer = '' ORDER BY first;

-- Of each network the run with the largest batch.
CREATE VIEW largest AS
SELECT i FROM (SELECT min(i) AS first, at_max(i, batch_size) AS i FROM (SELECT * FROM job ORDER BY i)
               GROUP BY model)
ORDER BY first;

-- Each network and batch once.
CREATE VIEW computed AS
SELECT min(i) AS i FROM job WHERE layer = '' GROUP BY query, batch_size ORDER BY 1;

-- Of each query and batch the best rate of each environment; row and col: by first runs.
CREATE VIEW best_rate AS
WITH cell AS (SELECT query, batch_size, place, max(rate) AS rate, min(i) AS first
              FROM job GROUP BY query, batch_size, place),
     placed AS (SELECT rate, min(first) OVER (PARTITION BY query, batch_size) AS row,
                       min(first) OVER (PARTITION BY place) AS first_there
                FROM cell)
SELECT row, dense_rank() OVER (ORDER BY first_there) AS col, rate FROM placed ORDER BY row, col;

-- Runs that ran out of memory beside the need that is predicted.
CREATE VIEW misfit AS
SELECT env, model, CAST(batch_size AS INTEGER), mode, precision, iif(judged, needed_bytes, NULL),
       iif(judged, device_bytes, NULL), iif(judged, verdict, NULL)
FROM (SELECT *, needed_bytes > 0 AND device_bytes > 0 AS judged FROM left_out WHERE outcome = 'out_of_memory')
ORDER BY i;
