-- Findings on tables that are no runs: configurations, curves of training, ablations, processes. Tables: line,
-- the rows of one such table; given, of one row: its name, whether it is a grid of configurations, classes,
-- the outputs of its network, and entropy, the loss of guessing among them. For what would fit into a budget: answer, of the
-- configurations, and asked, of one row.
CREATE TABLE line(
  i INTEGER PRIMARY KEY, model TEXT, data TEXT, method TEXT, variant TEXT,
  depth REAL, base_filters REAL, batch_size REAL, time_per_epoch REAL, dataset_size REAL,
  epoch REAL, train_loss REAL, val_accuracy REAL, validation_accuracy REAL, test_accuracy REAL, accuracy REAL,
  ratio REAL, isolated_to_whole REAL, sum_to_whole REAL,
  ranks REAL, batch_per_rank REAL, optimizer TEXT, "precision" TEXT, threads TEXT, device TEXT,
  step_ns REAL, local_step_ns REAL, all_reduce_ns REAL, images_per_s REAL);

-- Less is learned than counts.
CREATE VIEW guessing AS SELECT 0.99 * entropy AS loss FROM given;

CREATE VIEW images AS
SELECT sum(model GLOB 'cifar*') > 0 AS cifar, sum(data GLOB 'synthetic*') > 0 AS made_up,
       sum(data <> '') > 0 AS said, count(val_accuracy) + count(test_accuracy) AS accuracies
FROM line;

CREATE VIEW data_note AS
SELECT CASE WHEN made_up THEN
         'The images are made up (synthetic)' || iif(cifar, ' of the shape of CIFAR-10''s', '')
           || ': accuracies show that networks learn, and which sooner'
           || iif(cifar, '; they are not those of CIFAR-10', '') || '.'
       WHEN cifar AND NOT said THEN
         'The table does not say which images these are. `epochcast measure grid` and `collect.pyz grid` '
           || 'take made-up ones (synthetic) of the shape of CIFAR-10''s by default: accuracies are then '
           || 'not those of CIFAR-10.' END
FROM images WHERE accuracies;

-- Configurations, and whether there is more than one of them.
CREATE VIEW several AS
SELECT is_grid AND (SELECT count(*) FROM (SELECT DISTINCT depth, base_filters, batch_size FROM line)) > 1 AS yes
FROM given;

CREATE VIEW config AS
SELECT * FROM line
WHERE time_per_epoch > 0 AND depth IS NOT NULL AND base_filters IS NOT NULL AND batch_size IS NOT NULL
ORDER BY i;

CREATE VIEW named_config AS
SELECT i, printf('depth %s with %s filters at batch %s', digits(depth, 6), digits(base_filters, 6),
                 digits(batch_size, 6)) AS words, seconds(time_per_epoch) AS took FROM config;

-- By what factor twice a column's value changes the time, of rows alike in the two others: the slope of
-- logarithms within them.
CREATE VIEW effect AS
WITH point AS (
  SELECT 1 AS axis, 'depth' AS name, base_filters AS a, batch_size AS b, log2(depth) AS x,
         log2(time_per_epoch) AS y FROM line
  UNION ALL SELECT 2, 'filters', batch_size, depth, log2(base_filters), log2(time_per_epoch) FROM line
  UNION ALL SELECT 3, 'batch', depth, base_filters, log2(batch_size), log2(time_per_epoch) FROM line),
alike AS (
  SELECT axis, name, sum(x * y) - sum(x) * sum(y) / count(*) AS up, sum(x * x) - sum(x) * sum(x) / count(*) AS across
  FROM point WHERE x IS NOT NULL AND y IS NOT NULL GROUP BY axis, a, b)
SELECT name, exp2(sum(up) / sum(across)) AS times FROM alike GROUP BY axis HAVING sum(across) > 1e-9
ORDER BY axis;

CREATE VIEW trained AS
SELECT sum(train_loss > loss) AS n, count(*) AS of
FROM line, guessing, given
WHERE is_grid AND train_loss IS NOT NULL AND coalesce(test_accuracy, val_accuracy) IS NOT NULL
GROUP BY name HAVING n > 0;

CREATE VIEW trained_note AS
SELECT printf('%d of %d runs ended at the training loss of random answers among %d classes, %s: they learned '
              || 'nothing, and their accuracies say nothing of their networks. Times do not depend on it.',
              n, of, classes, fixed(entropy, 3))
FROM trained, given;

CREATE VIEW grid_found AS
SELECT printf('Of the configurations in %s, %s is fastest (%s per epoch), %s slowest (%s).', name, fast.words,
              fast.took, slow.words, slow.took)
FROM given, several, (SELECT at_min(i, time_per_epoch) AS least, at_max(i, time_per_epoch) AS most FROM config)
JOIN named_config AS fast ON fast.i = least JOIN named_config AS slow ON slow.i = most WHERE yes
UNION ALL
SELECT printf('Where all else is alike, an epoch in %s takes%s.', name, said)
FROM given, (SELECT group_concat(printf(' %s times as long with twice the %s', fixed(times, 2), name), ',') AS said
             FROM effect WHERE times IS NOT NULL)
WHERE is_grid AND said <> ''
UNION ALL
SELECT printf('In %s %d of %d runs learned nothing (their training loss is that of random answers): only times '
              || 'count there.', name, n, of)
FROM given, several, trained WHERE yes;

CREATE VIEW reached AS
SELECT 1 AS place, 'validation accuracy' AS what, at_max(i, val_accuracy) AS at, max(val_accuracy) AS v FROM line
UNION ALL SELECT 2, 'validation accuracy', at_max(i, validation_accuracy), max(validation_accuracy) FROM line
UNION ALL SELECT 3, 'test accuracy', at_max(i, test_accuracy), max(test_accuracy) FROM line
UNION ALL SELECT 4, 'accuracy', at_max(i, accuracy), max(accuracy) FROM line;

CREATE VIEW curve_found AS
WITH learned AS (SELECT count(epoch) AS epochs, count(*) > ifnull(sum(train_loss > loss), 0) AS any FROM line, guessing)
SELECT printf('The runs in %s learned nothing (a training loss of guessing): only times count there.', name)
FROM given, learned WHERE epochs AND NOT any
UNION ALL
SELECT printf('The best %s in %s is %s %%%s%s%s%s.', what, name, fixed(iif(v > 1.5, v, 100 * v), 1),
              ifnull(', after epoch ' || digits(epoch, 6), ''), iif(model = '', '', ' of ' || model),
              ifnull(' at batch ' || digits(batch_size, 15), ''), iif(made_up, ', on made-up images', ''))
FROM given, learned, images, (SELECT * FROM reached WHERE v IS NOT NULL ORDER BY place LIMIT 1)
JOIN line ON line.i = at WHERE epochs AND any;

CREATE VIEW ablation_found AS
SELECT printf('Layers timed by the method "%s" add up to %s to %s of their network.', name, fixed(min(share), 2),
              fixed(max(share), 2))
FROM (SELECT i, iif(method = '', variant, method) AS name, coalesce(ratio, isolated_to_whole, sum_to_whole) AS share
      FROM line)
WHERE name <> '' GROUP BY name HAVING count(share) ORDER BY min(i) LIMIT 12;

-- Steps of several processes beside those of one, of the same job.
CREATE VIEW ddp AS
WITH job AS (
  SELECT *, min(iif(ranks <= 1, i, NULL))
              OVER (PARTITION BY model, batch_per_rank, optimizer, "precision", threads, device) AS alone
  FROM line)
SELECT job.i, job.model, job.batch_per_rank AS batch, job.ranks, job.alone, job.step_ns, job.local_step_ns,
       job.all_reduce_ns, job.images_per_s, job.images_per_s / one.images_per_s AS speedup
FROM job LEFT JOIN line AS one ON one.i = job.alone ORDER BY job.i;

CREATE VIEW ddp_table AS
SELECT model, nullif(max(batch, 0), 0), nullif(max(ranks, 0), 0), nullif(max(step_ns, 0), 0),
       nullif(max(local_step_ns, 0), 0), nullif(max(all_reduce_ns, 0), 0), nullif(max(images_per_s, 0), 0),
       nullif(max(speedup, 0), 0), nullif(max(speedup / ranks, 0), 0)
FROM ddp;

-- The most processes, and whether they can be compared with one.
CREATE VIEW most AS SELECT max(1, max(ranks)) AS ranks, sum(ranks > 1 AND alone IS NOT NULL) > 0 AS compared FROM ddp;

CREATE VIEW ddp_found AS
WITH said AS (
  SELECT ddp.*, local_step_ns / step_ns AS share FROM ddp JOIN most USING(ranks)
  WHERE compared AND speedup IS NOT NULL AND batch IS NOT NULL AND share IS NOT NULL)
SELECT iif(lo.i = hi.i,
         printf('%s processes of one machine train %s, batch %s each, %s times as fast as one; without the '
                || 'exchange of gradients a step takes %s of its time.', fixed(lo.ranks, 0), lo.model,
                fixed(lo.batch, 0), fixed(lo.speedup, 2), fixed(lo.share, 2)),
         printf('%s processes of one machine train %s (%s, batch %s each) to %s times (%s, batch %s) as fast as '
                || 'one; without the exchange of gradients the steps of the slowest take %s of their time.',
                fixed(lo.ranks, 0), fixed(lo.speedup, 2), lo.model, fixed(lo.batch, 0), fixed(hi.speedup, 2),
                hi.model, fixed(hi.batch, 0), fixed(lo.share, 2)))
FROM (SELECT at_min(i, speedup) AS least, at_max(i, speedup) AS most FROM said)
JOIN said AS lo ON lo.i = least JOIN said AS hi ON hi.i = most;

-- What was not run: values of the table and, of the filters, one between two.
CREATE VIEW choice AS
WITH value AS (
  SELECT 1 AS axis, 'depth' AS name, depth AS v, min(i) AS first FROM line GROUP BY depth
  UNION ALL SELECT 2, 'base_filters', base_filters, min(i) FROM line GROUP BY base_filters
  UNION ALL SELECT 3, 'batch_size', batch_size, min(i) FROM line GROUP BY batch_size),
few AS (
  SELECT *, row_number() OVER (PARTITION BY axis ORDER BY v) AS place
  FROM (SELECT *, row_number() OVER (PARTITION BY axis ORDER BY first) AS nth FROM value WHERE v IS NOT NULL)
  WHERE nth <= 12)
SELECT axis, name, fixed(v, 0) AS text
FROM (SELECT axis, name, v FROM few
      UNION ALL
      SELECT axis, name, CAST(sum(v) / 2 AS INTEGER) FROM few WHERE axis = 2 AND place <= 2 GROUP BY axis, name
      HAVING count(*) = 2)
ORDER BY axis, v;

CREATE VIEW choice_words AS
SELECT ifnull(group_concat(words, ''), '')
FROM (SELECT ' ' || name || '=' || group_concat(text, ',') AS words FROM choice GROUP BY axis, name ORDER BY axis);

-- p05, p50, p95: of the time that is predicted; measured: NULL where it was not run
CREATE TABLE asked(i INTEGER PRIMARY KEY, family TEXT, budget REAL, samples REAL);
CREATE TABLE answer(i INTEGER PRIMARY KEY, depth REAL, base_filters REAL, batch_size REAL, num_params REAL,
                    p05 REAL, p50 REAL, p95 REAL, measured REAL);

CREATE VIEW answer_table AS
SELECT depth, base_filters, batch_size, num_params, p05, p50, p95, measured, samples / ifnull(measured, p50)
FROM answer, asked ORDER BY answer.i LIMIT 27;

CREATE VIEW answer_caption AS
SELECT printf('Configurations within %s per epoch, the fastest first; those without a measured time were not run. '
              || 'Of the %d that were run, %d took a time within their 5 to 95 %%.', seconds(budget),
              count(measured), ifnull(sum(measured BETWEEN p05 AND p95), 0))
FROM answer, asked;

-- The largest network within the budget, of equals the fastest: with more blocks, then with more filters, where
-- parameters are not known.
CREATE VIEW answer_found AS
SELECT printf('Within %s per epoch, the largest network of the family in %s has depth %s with %s filters, at '
              || 'batch %s: %s.', seconds(budget), name, fixed(depth, 0), fixed(base_filters, 0),
              fixed(batch_size, 0),
              iif(measured IS NOT NULL, printf('%s were measured', seconds(measured)),
                  printf('%s are predicted by %s, %s to %s with 90 %% confidence', seconds(p50), family,
                         seconds(p05), seconds(p95))))
FROM given, asked,
     (SELECT * FROM answer
      ORDER BY num_params DESC, iif(num_params IS NULL, depth, 0) DESC, base_filters DESC, i LIMIT 1);
