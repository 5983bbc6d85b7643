-- Notes on a roofline: points above a roof, and what limits them against their side of the ridge. Tables: run;
-- given, of one row: why points may lie above the flat and the sloped roof.

CREATE VIEW point AS
SELECT i, iif(layer <> '', layer, model) AS name, "limit" AS limited_by, arithmetic_flop_per_byte AS intensity,
       ridge_flop_per_byte AS ridge,
       achieved_flop_per_s > 1.0005 * attainable_flop_per_s AS above, -- 100.0 % is not above
       ifnull(arithmetic_flop_per_byte * memory_bytes_per_s < peak_flop_per_s, 0) AS sloped
FROM run;

WITH noted AS (
  SELECT 1 AS place, 'above the flat roof' AS what, (SELECT flat FROM given) AS reason, i, name
  FROM point WHERE above AND NOT sloped
  UNION ALL
  SELECT 2, 'above the sloped roof', (SELECT sloped FROM given), i, name
  FROM point WHERE above AND sloped
  UNION ALL
  SELECT 3, 'limited by memory bandwidth above the ridge',
         'the ridge is of the data sheet; such kernels reach less of its bandwidth than of its peak', i, name
  FROM point WHERE limited_by = 'memory bandwidth' AND intensity > ridge
  UNION ALL
  SELECT 4, 'limited by compute below the ridge',
         'the ridge is of the data sheet; such kernels reach less of its peak than of its bandwidth', i, name
  FROM point WHERE limited_by = 'compute' AND intensity < ridge)
SELECT printf('%s: %d of %d rows (%s%s): %s', what, count(*), (SELECT count(*) FROM run), at_min(name, i),
              iif(count(*) > 1, ' and others', ''), reason)
FROM noted GROUP BY place ORDER BY place;
