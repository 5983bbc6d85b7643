-- Findings on runs: each SELECT is one, and its rows are sentences. A finding that does not apply has
-- no row. Tables: run, of runs with a time; left_out, of those without one; and those of runs.sql.

CREATE INDEX by_env ON run(env, i); -- environments stand in the order of their first runs

CREATE TABLE about AS
SELECT common.mode, common.precision, reference.env AS reference,
       iif(common.mode = 'training_step', 'training steps', common.mode) AS steps,
       count(*) AS all_runs, count(DISTINCT place) AS all_envs,
       sum(layer = '' AND median_ns > 0) AS whole_runs,
       sum(unknown) BETWEEN 1 AND count(*) - 1 AS only_known
FROM common, reference, (SELECT env AS place, layer, median_ns, unknown FROM run);

CREATE VIEW whole AS SELECT * FROM run WHERE layer = '' AND median_ns > 0;

-- Why a run is not believed: its table says so, or no device can be so fast. 100 times the peak is above the ratio of any
-- two precisions of a device.
CREATE TABLE flagged AS
SELECT i, CASE WHEN flags LIKE '%suspect%' THEN 'said' WHEN efficiency_frac > 100 THEN 'peak'
               WHEN num_devices > 1 AND device_scaling_frac > 1.5 THEN 'devices' END AS why
FROM whole;

-- What comparisons rest on: one mode and precision, and networks that are known, if any is.
CREATE TABLE comparison AS
SELECT run.*, run."limit" AS limited_by, ifnull(image_px, 0) AS pixels, ifnull(seq_len, 0) AS tokens,
       iif(num_devices > 1 AND flags LIKE '%global_batch%', ' of all devices', '') AS of_all
FROM whole AS run, about
WHERE run.mode = about.mode AND run.precision = about.precision AND NOT (only_known AND unknown)
      AND i NOT IN (SELECT i FROM flagged WHERE why <> '')
ORDER BY i;

-- fast: the run with the highest throughput of the network
CREATE TABLE network AS
SELECT model, min(i) AS first, count(*) AS runs, count(DISTINCT env) AS envs,
       count(DISTINCT tokens) > 1 AS several_tokens, at_max(i, images_per_s) AS fast
FROM comparison GROUP BY model;

CREATE VIEW few AS SELECT count(*) <= 4 AS networks FROM network;

SELECT printf('Speed, efficiency and scaling are those of %s at %s%s; %d of %d runs are of another '
              || 'mode or precision.', steps, precision,
              iif(all_envs > 1, ', which most environments ran', ''), others, all_runs)
FROM about, (SELECT count(*) AS others FROM whole, about
             WHERE whole.mode <> about.mode OR whole.precision <> about.precision)
WHERE others > 0;

-- Networks in the order of how many environments can be compared. The speed-up is of the fastest
-- run, else of the largest batch there that the reference ran too.
CREATE VIEW fastest AS
WITH said AS (SELECT * FROM network ORDER BY envs DESC, first LIMIT 8),
best AS (
  SELECT fast.*, said.first, envs, runs,
         printf('batch %d%s', fast.batch_size, fast.of_all)
           || iif(several_tokens, printf(', %d tokens', tokens), '') AS place,
         iif(fast.speedup IS NOT NULL, fast.i,
             (SELECT i FROM comparison AS other
              WHERE other.model = fast.model AND other.env = fast.env AND speedup IS NOT NULL
              ORDER BY batch_size DESC, i LIMIT 1)) AS compared
  FROM said JOIN comparison AS fast ON fast.i = said.fast)
SELECT iif(runs = 1,
         printf('%s does %s on %s at %s.', best.model, rate(best.images_per_s), best.env, place),
         printf('%s%s is fastest on %s at %s: %s%s.', best.model,
                iif(best.job = '', '', ' (' || best.job || ')'), best.env, place,
                rate(best.images_per_s),
                iif(at.i IS NULL, '',
                    printf(', %s times %s', digits(at.speedup, 3), reference)
                      || iif(at.i = best.i, '',
                             printf(' where both ran batch %d', at.batch_size))))) AS text
FROM about, (SELECT * FROM best ORDER BY envs DESC, first) AS best
LEFT JOIN comparison AS at ON at.i = compared AND best.env <> reference
UNION ALL
SELECT printf('%d further networks are in the tables.', n - 8)
FROM (SELECT count(*) AS n FROM network) WHERE n > 8;

SELECT text FROM fastest, few WHERE networks;

-- Networks can be compared at one batch in one environment: where most were run.
WITH place AS (
  SELECT env, batch_size, count(DISTINCT model) AS networks, at_max(i, images_per_s) AS fast,
         at_min(i, images_per_s) AS slow
  FROM comparison GROUP BY env, batch_size ORDER BY networks DESC, min(i) LIMIT 1)
SELECT printf('Of %d networks at batch %d on %s, %s is fastest (%s) and %s slowest (%s).', networks,
              place.batch_size, place.env, hi.model, rate(hi.images_per_s), lo.model,
              rate(lo.images_per_s))
FROM place JOIN comparison AS hi ON hi.i = fast JOIN comparison AS lo ON lo.i = slow WHERE networks >= 3;

-- Runs without a time. Those of several modes or precisions have one name.
CREATE TABLE outcome(at INTEGER PRIMARY KEY, outcome, words);
INSERT INTO outcome VALUES(1, 'out_of_memory', 'ran out of memory'),
  (2, 'unstable', 'drifted while they were measured'),
  (3, 'unsupported', 'could not be run there'), (4, 'error', 'failed');

CREATE VIEW verdict AS -- what predictions of memory say
SELECT iif(n = 1,
         '; the prediction ' || iif(agree, 'agrees: it needs more than the device has', verdict),
         printf('; predictions agree for %d of the %d that can be predicted', agree, n)) AS text
FROM (SELECT count(*) AS n, sum(fits_probability < 0.5) AS agree, verdict
      FROM left_out WHERE needed_bytes > 0 AND device_bytes > 0)
WHERE n > 0;

WITH named AS (
  SELECT outcome, env, model, batch_size, count(*) AS runs,
         row_number() OVER (PARTITION BY outcome ORDER BY min(i)) AS place
  FROM left_out GROUP BY outcome, env, model, batch_size ORDER BY place)
SELECT printf('%d of %d measured runs %s, and %s no part of the tables and pictures: %s%s%s.',
              sum(named.runs), all_runs + (SELECT count(*) FROM left_out), words,
              iif(sum(named.runs) = 1, 'is', 'are'),
              group_concat(iif(place <= 4, printf('%s on %s at batch %d', model, env, batch_size),
                               NULL), ', '),
              iif(sum(iif(place > 4, named.runs, 0)) > 0,
                  printf(' and %d more', sum(iif(place > 4, named.runs, 0))), ''),
              iif(outcome = 'out_of_memory', ifnull((SELECT text FROM verdict), ''), ''))
FROM about, named JOIN outcome USING(outcome) GROUP BY at ORDER BY at;

SELECT printf('%s on %s at batch %d took %s times the predicted step and seems to have spilled into '
              || 'the host''s memory: it %s %s%s.', model, env, batch_size,
              times(median_ns / predicted_ns),
              iif(need > device_bytes, printf('needs %s, and the card has', bytes(need)),
                  'may fill the card''s'),
              bytes(device_bytes),
              iif(others > 0, printf('; so did %d other%s', others, iif(others > 1, 's', '')), ''))
FROM (SELECT at_max(i, median_ns / predicted_ns) AS worst, count(*) - 1 AS others FROM run
      WHERE spilled)
JOIN (SELECT *, max(needed_bytes, ifnull(memory_peak_bytes, 0)) AS need FROM run) ON i = worst;

-- Flags of a median that is less certain than was asked for.
WITH noisy AS (
  SELECT env, count(*) AS n, row_number() OVER (ORDER BY (SELECT min(i) FROM run AS any
                                                          WHERE any.env = run.env)) AS place
  FROM run WHERE flags LIKE '%noisy%' OR flags LIKE '%drift%' OR flags LIKE '%throttled%'
  GROUP BY env ORDER BY place)
SELECT printf('%d of %d runs are noisy: their times scatter more than was asked for, as on a busy or '
              || 'throttled machine (%s%s); the column flags names them.', sum(n), all_runs,
              group_concat(iif(place <= 4, printf('%d on %s', n, env), NULL), '; '),
              iif(count(*) > 4, printf('; %d on others', sum(iif(place > 4, n, 0))), ''))
FROM noisy, about GROUP BY all_runs;

-- Names that are no network, as a misspelt one.
WITH name AS (
  SELECT model, count(*) AS n, uncounted, row_number() OVER (ORDER BY min(i)) AS place
  FROM (SELECT i, model, uncounted, unknown FROM run ORDER BY i), about WHERE only_known
  GROUP BY model HAVING unknown)
SELECT printf('%d run%s of "%s" %s not compared: %s%s', n, iif(n = 1, '', 's'), model,
              iif(n = 1, 'is', 'are'), uncounted, iif(instr(uncounted, '?'), '', '.'))
FROM name WHERE place <= 2
UNION ALL
SELECT printf('%d run%s of %d further name%s that no built-in network has %s not compared either.',
              n, iif(n = 1, '', 's'), names, iif(names = 1, '', 's'), iif(n = 1, 'is', 'are'))
FROM (SELECT sum(n) AS n, count(*) AS names FROM name WHERE place > 2) WHERE n > 0;

-- Errors of predictions, in each environment if they are few.
WITH error AS (
  SELECT env, i, abs(predicted_ns / median_ns - 1) AS off FROM whole
  WHERE kind = 'measured' AND predicted_ns IS NOT NULL),
each AS (
  SELECT env, median(off) AS off,
         (SELECT min(i) FROM run WHERE run.env = error.env) AS first
  FROM error GROUP BY env ORDER BY first)
SELECT printf('epochcast predicts %sthese runs with a median error of %s %%%s.',
              iif(n < all_runs, printf('%d of ', n), ''), fixed(100 * off, 1),
              CASE WHEN n_envs < 2 THEN ''
                   WHEN n_envs <= 6 THEN ': ' || list
                   ELSE printf(', in %d environments between %s %% (%s) and %s %% (%s)', n_envs,
                               fixed(100 * lo, 1), best, fixed(100 * hi, 1), worst) END)
FROM about, (SELECT count(*) AS n, median(off) AS off FROM error),
     (SELECT count(*) AS n_envs, min(off) AS lo, max(off) AS hi, at_min(env, off) AS best,
             group_concat(printf('%s %s %%', env, fixed(100 * off, 1)), '; ') AS list FROM each),
     (SELECT env AS worst FROM each ORDER BY off DESC, first DESC LIMIT 1)
WHERE n >= 3;

-- Runs that are not believed: the first of their table's own, else the one that is furthest off.
WITH each AS (
  SELECT why, run.*, row_number() OVER (PARTITION BY why ORDER BY CASE why WHEN 'peak' THEN efficiency_frac
                                          WHEN 'devices' THEN device_scaling_frac END DESC, i) AS place,
         count(*) OVER (PARTITION BY why) AS as_many
  FROM flagged JOIN whole AS run USING(i), about WHERE why <> '' AND NOT (only_known AND unknown))
SELECT printf('Flagged, and not compared: %s on %s, batch %d, %s%s.', model, env, batch_size,
              CASE why WHEN 'said' THEN 'which its own table calls suspect'
                WHEN 'peak' THEN printf('would reach %s %% of the peak', fixed(100 * efficiency_frac, 0))
                ELSE printf('would do %s times in each device what fewer devices do in each',
                            times(device_scaling_frac)) END,
              iif(as_many > 1, printf('; so %s %d other%s', iif(as_many = 2, 'is', 'are'), as_many - 1,
                                     iif(as_many > 2, 's', '')), ''))
FROM each WHERE place = 1 ORDER BY why DESC;

-- Efficiency against the peak. Two rows are no comparison: a range needs three. Above 150 % it is flagged.
CREATE VIEW peaked AS SELECT * FROM comparison WHERE efficiency_frac IS NOT NULL;
CREATE VIEW extremes AS
SELECT count(*) AS peaked_runs, sum(efficiency_frac <= 1.5) AS believed,
       at_min(i, efficiency_frac) FILTER (WHERE efficiency_frac <= 1.5) AS least,
       at_max(i, efficiency_frac) FILTER (WHERE efficiency_frac <= 1.5) AS most
FROM peaked;

SELECT printf('%s on %s, batch %d, would reach %s %% of the peak%s: above 150 %% a run was in another precision than '
              || 'its row says (tf32 for fp32), its operations are fewer than are counted, or its time is wrong.',
              model, env, batch_size, fixed(100 * efficiency_frac, 1),
              iif(as_many > 1, printf(', and %d other%s too much', as_many - 1, iif(as_many > 2, 's', '')), ''))
FROM (SELECT count(*) AS as_many, at_max(i, efficiency_frac) AS worst FROM peaked WHERE efficiency_frac > 1.5)
JOIN comparison ON i = worst;

SELECT iif(believed = 1,
         printf('%s on %s, batch %d, reaches %s %% of the peak%s.', hi.model, hi.env, hi.batch_size,
                fixed(100 * hi.efficiency_frac, 1),
                iif(hi.limited_by = '', '', ' and is limited by ' || hi.limited_by)),
         printf('Efficiency against the peak is between %s %% (%s on %s, batch %d) and %s %% (%s on '
                || '%s, batch %d)%s.',
                fixed(100 * lo.efficiency_frac, iif(lo.efficiency_frac < 0.002, 3, 1)), lo.model,
                lo.env, lo.batch_size,
                fixed(100 * hi.efficiency_frac, iif(hi.efficiency_frac < 0.002, 3, 1)), hi.model,
                hi.env, hi.batch_size,
                iif(hi.efficiency_frac > 1,
                    '; what is above 100 % ran in another precision than its row says (tf32 for '
                    || 'fp32), or with fewer operations than are counted', '')))
FROM extremes JOIN comparison AS lo ON lo.i = least JOIN comparison AS hi ON hi.i = most WHERE believed <> 2;

-- "7 of 9 runs are limited by compute, 2 by host dispatch."
WITH limited AS (
  SELECT limited_by, count(*) AS n, row_number() OVER (ORDER BY limit_order) AS place
  FROM peaked WHERE limited_by <> '' GROUP BY limited_by ORDER BY place)
SELECT iif(max(limited.n) = of,
           printf('All %d %s are limited by %s.', of, which, limited_by),
           group_concat(iif(place = 1,
                            printf('%d of %d %s are limited by %s', limited.n, of, which, limited_by),
                            printf('%d by %s', limited.n, limited_by)), ', ') || '.')
FROM limited, (
  SELECT peaked_runs AS of,
         iif(compared = iif(only_known, known, whole_runs), 'runs', steps || ' at ' || precision)
           || iif(peaked_runs < compared, ' on devices with a known peak', '') AS which
  FROM extremes, about, (SELECT count(*) AS compared FROM comparison),
       (SELECT count(*) AS known FROM whole WHERE NOT unknown))
WHERE of >= 3 GROUP BY of, which;

SELECT text FROM fastest, few WHERE NOT networks;

-- Of a network in an environment, batches with two smaller ones to compare with.
SELECT printf('A larger batch pays least for %s on %s: at batch %d it reaches %s %% of throughput in '
              || 'proportion to the batch.', model, env, batch_size,
              fixed(100 * scaling_efficiency_frac, 0))
FROM (SELECT i, model, env, batch_size, scaling_efficiency_frac, nth_value(batch_size, 2) OVER (
        PARTITION BY model, pixels, tokens, job, kind, env ORDER BY batch_size
        ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS second
      FROM comparison)
WHERE batch_size > second AND scaling_efficiency_frac IS NOT NULL
ORDER BY scaling_efficiency_frac, i LIMIT 1;

-- What the most devices reach: the best and the worst.
WITH parallel AS (SELECT * FROM comparison WHERE device_scaling_frac IS NOT NULL AND num_devices > 1)
SELECT printf('%d devices of the type %s reach %s %% of throughput in proportion to their number, '
              || 'for %s at batch %d%s%s.', hi.num_devices, hi.device,
              fixed(100 * hi.device_scaling_frac, 1), hi.model, hi.batch_size,
              iif(hi.of_all = '', ' each', hi.of_all),
              iif(hi.i = lo.i, '',
                  printf('; %s at batch %d reaches least, %s %%', lo.model, lo.batch_size,
                         fixed(100 * lo.device_scaling_frac, 1))))
FROM (SELECT at_max(i, device_scaling_frac) AS most, at_min(i, device_scaling_frac) AS least
      FROM parallel WHERE num_devices = (SELECT max(num_devices) FROM parallel))
JOIN comparison AS hi ON hi.i = most JOIN comparison AS lo ON lo.i = least;

-- What the devices of one type differ by, where a query was run on several.
WITH units AS (
  SELECT model, batch_size, device, count(*) AS n, min(i) AS first,
         max(median_ns) / min(median_ns) - 1 AS spread, at_max(env, median_ns) AS slow,
         at_min(env, median_ns) AS fast
  FROM comparison WHERE kind = 'measured' AND device <> ''
  GROUP BY model, pixels, tokens, batch_size, words, device, threads, num_devices, flags
  HAVING count(DISTINCT env) > 1)
SELECT printf('%d devices of the type %s differ: the slowest median of a network and batch is %s %% '
              || 'above the fastest%s (%s at batch %d: %s above %s).', most, device,
              fixed(100 * median, 1),
              iif(groups > 1, printf(' in the middle of %d such, and %s %% at most', groups,
                                     fixed(100 * spread, 1)), ''),
              model, batch_size, slow, fast)
FROM (SELECT count(*) AS groups, max(n) AS most, median(spread) AS median FROM units),
     (SELECT * FROM units ORDER BY spread DESC, first DESC LIMIT 1);

SELECT printf('%s%s for %s on %s, batch %d: a standard deviation of %s %% of the mean over %d %s%s.',
              iif(repeats > 1, 'Repeated runs differ', 'Iterations scatter'),
              iif(runs > 1, ' most', ''), model, env, batch_size, fixed(100 * spread, 1), n,
              iif(repeats > 1, 'runs', 'iterations'),
              iif(first_ns > 2 * median_ns, ', without those of the warm-up', ''))
FROM (SELECT at_max(i, spread) AS worst, count(*) AS runs FROM comparison
      WHERE n > 2 AND spread IS NOT NULL)
JOIN comparison ON i = worst;

-- Whether environments differ by more than their own repeated runs do: Welch's t against the fastest
-- of the same network and batch, squared, and its bounds at 5 % by degrees of freedom.
WITH bound(least, t) AS (VALUES(1, 12.71), (2, 4.31), (3, 3.19), (4, 2.78), (5, 2.58), (6, 2.45),
                               (8, 2.31), (10, 2.23), (15, 2.14), (20, 2.09), (30, 2.05), (60, 2.0)),
again AS (
  SELECT i, model, batch_size, pixels, tokens, job, env, mean_ns, std_ns * std_ns / n AS noise, n
  FROM comparison WHERE repeats > 1 AND n > 1 AND std_ns > 0),
best AS (
  SELECT at_min(i, mean_ns) AS i FROM again
  GROUP BY model, batch_size, pixels, tokens, job HAVING count(DISTINCT env) > 1),
pair AS (
  SELECT a.i, a.model, a.batch_size, b.env AS slow, a.env AS fast, b.mean_ns / a.mean_ns AS ratio,
         (b.mean_ns - a.mean_ns) * (b.mean_ns - a.mean_ns) / (a.noise + b.noise) AS t_squared,
         (a.noise + b.noise) * (a.noise + b.noise)
           / (a.noise * a.noise / (a.n - 1) + b.noise * b.noise / (b.n - 1)) AS freedom
  FROM best JOIN again AS a ON a.i = best.i
  JOIN again AS b ON b.model = a.model AND b.batch_size = a.batch_size AND b.pixels = a.pixels
                     AND b.tokens = a.tokens AND b.job = a.job AND b.env <> a.env),
judged AS (
  SELECT *, t_squared / (t * t) AS beyond
  FROM (SELECT *, (SELECT min(t) FROM bound WHERE least <= max(freedom, 1)) AS t FROM pair))
SELECT printf('%d of %d comparisons of repeated runs with the fastest environment %s significant '
              || '(Welch''s t-test, 5 %%); the least clear: %s at batch %d, where %s takes %s times '
              || 'as long as %s.', clear, n, iif(clear = 1, 'is', 'are'), model, batch_size, slow,
              digits(ratio, 4), fast)
FROM (SELECT count(*) AS n, sum(beyond > 1) AS clear FROM judged),
     (SELECT * FROM judged ORDER BY beyond, i LIMIT 1);

-- A device that is throttled becomes slower within a run, one that wakes up faster.
SELECT printf('%s on %s, batch %d, became %s while it ran: the last third of its iterations took %s '
              || 'times as long as the first.', model, env, batch_size,
              iif(drift_ratio > 1, 'slower', 'faster'), times(drift_ratio))
FROM comparison WHERE max(drift_ratio, 1 / drift_ratio) >= 1.1
ORDER BY max(drift_ratio, 1 / drift_ratio) DESC, i LIMIT 1;
