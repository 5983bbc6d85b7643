-- Each part brings a store from the schema before to that of its line. Released parts are never edited.
-- schema 1
CREATE TABLE source(
  id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, name TEXT NOT NULL, layout TEXT NOT NULL,
  licence TEXT NOT NULL, url TEXT NOT NULL, sha256 TEXT NOT NULL, file_name TEXT NOT NULL,
  imported_utc TEXT NOT NULL);
CREATE INDEX source_sha256 ON source(sha256);
CREATE TABLE machine(
  id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, record_json TEXT NOT NULL);
CREATE TABLE device(
  id INTEGER PRIMARY KEY, key TEXT NOT NULL, name TEXT NOT NULL, UNIQUE(key, name));
CREATE TABLE software(
  id INTEGER PRIMARY KEY, framework TEXT NOT NULL, framework_version TEXT NOT NULL,
  libraries TEXT NOT NULL, UNIQUE(framework, framework_version, libraries));
CREATE TABLE cas(
  id INTEGER PRIMARY KEY, what TEXT NOT NULL, kind TEXT NOT NULL, family TEXT NOT NULL,
  UNIQUE(what, kind, family));
CREATE TABLE measurement(
  id INTEGER PRIMARY KEY,
  source_id INTEGER NOT NULL REFERENCES source(id),
  source_row INTEGER NOT NULL, reading TEXT NOT NULL,
  machine_id INTEGER REFERENCES machine(id),
  device_id INTEGER NOT NULL REFERENCES device(id),
  software_id INTEGER NOT NULL REFERENCES software(id),
  cas_id INTEGER NOT NULL REFERENCES cas(id),
  precision TEXT NOT NULL, memory_format TEXT NOT NULL, mode TEXT NOT NULL,
  phase TEXT NOT NULL, optimizer TEXT NOT NULL,
  batch INTEGER, image_px INTEGER, seq_len INTEGER, num_devices INTEGER,
  outcome TEXT NOT NULL
    CHECK(outcome IN ('ok', 'unsupported', 'out_of_memory', 'unstable')),
  time_ns REAL, time_stat TEXT NOT NULL, time_min_ns REAL, time_max_ns REAL,
  time_mean_ns REAL, time_std_ns REAL, n_samples INTEGER,
  memory_peak_bytes INTEGER, memory_kind TEXT NOT NULL,
  flags TEXT NOT NULL, extra_json TEXT,
  UNIQUE(source_id, source_row, reading));
CREATE TABLE sample(
  measurement_id INTEGER NOT NULL REFERENCES measurement(id), iteration INTEGER NOT NULL,
  host_ns INTEGER, device_ns INTEGER, flags TEXT NOT NULL,
  PRIMARY KEY(measurement_id, iteration)) WITHOUT ROWID;
-- schema 2
CREATE TABLE finding(
  measurement_id INTEGER NOT NULL REFERENCES measurement(id), reason TEXT NOT NULL,
  PRIMARY KEY(measurement_id, reason)) WITHOUT ROWID;
-- schema 3
-- Campaigns of our own: how it was measured, rows kept apart, and the outcome "error", for which the table is made anew: a CHECK cannot be changed.
CREATE TABLE measurement_3(
  id INTEGER PRIMARY KEY,
  source_id INTEGER NOT NULL REFERENCES source(id),
  source_row INTEGER NOT NULL, reading TEXT NOT NULL,
  machine_id INTEGER REFERENCES machine(id),
  device_id INTEGER NOT NULL REFERENCES device(id),
  software_id INTEGER NOT NULL REFERENCES software(id),
  cas_id INTEGER NOT NULL REFERENCES cas(id),
  precision TEXT NOT NULL, memory_format TEXT NOT NULL, mode TEXT NOT NULL,
  phase TEXT NOT NULL, optimizer TEXT NOT NULL,
  batch INTEGER, image_px INTEGER, seq_len INTEGER, num_devices INTEGER,
  outcome TEXT NOT NULL
    CHECK(outcome IN ('ok', 'unsupported', 'out_of_memory', 'unstable', 'error')),
  time_ns REAL, time_stat TEXT NOT NULL, time_min_ns REAL, time_max_ns REAL,
  time_mean_ns REAL, time_std_ns REAL, n_samples INTEGER,
  memory_peak_bytes INTEGER, memory_kind TEXT NOT NULL,
  flags TEXT NOT NULL, extra_json TEXT,
  method TEXT NOT NULL DEFAULT '', run TEXT NOT NULL DEFAULT '', threads INTEGER,
  n_warm_up INTEGER, memory_reserved_bytes INTEGER,
  held_out INTEGER NOT NULL DEFAULT 0 CHECK(held_out IN (0, 1)),
  UNIQUE(source_id, source_row, reading));
INSERT INTO measurement_3(id, source_id, source_row, reading, machine_id, device_id,
  software_id, cas_id, precision, memory_format, mode, phase, optimizer, batch, image_px,
  seq_len, num_devices, outcome, time_ns, time_stat, time_min_ns, time_max_ns,
  time_mean_ns, time_std_ns, n_samples, memory_peak_bytes, memory_kind, flags, extra_json)
SELECT id, source_id, source_row, reading, machine_id, device_id,
  software_id, cas_id, precision, memory_format, mode, phase, optimizer, batch, image_px,
  seq_len, num_devices, outcome, time_ns, time_stat, time_min_ns, time_max_ns,
  time_mean_ns, time_std_ns, n_samples, memory_peak_bytes, memory_kind, flags, extra_json
FROM measurement;
DROP TABLE measurement;
ALTER TABLE measurement_3 RENAME TO measurement;
-- schema 4
-- Conditions that readers had to guess from the source's own words. Gradients and updates had the phase as their mode.
ALTER TABLE measurement ADD COLUMN half_inputs INTEGER NOT NULL DEFAULT 0;
ALTER TABLE measurement ADD COLUMN queued INTEGER NOT NULL DEFAULT 0;
ALTER TABLE measurement ADD COLUMN input_copy INTEGER NOT NULL DEFAULT 0;
ALTER TABLE measurement ADD COLUMN master_weights INTEGER NOT NULL DEFAULT 0;
ALTER TABLE measurement ADD COLUMN activation TEXT NOT NULL DEFAULT '';
UPDATE measurement SET input_copy = 1 WHERE instr(extra_json, '_incl_h2d');
UPDATE measurement SET queued = EXISTS (SELECT 1 FROM software w
    WHERE w.id = software_id AND instr(w.libraries, 'cuda=')),
  half_inputs = coalesce(instr(extra_json, '"inputs":"fp16"')
    OR instr(extra_json, '"inputs":"bf16"'), 0)
  WHERE cas_id IN (SELECT id FROM cas WHERE kind = 'operator')
    AND source_id IN (SELECT id FROM source WHERE substr(layout, 1, 9) = 'campaign-');
UPDATE measurement SET queued = 1
  WHERE cas_id IN (SELECT id FROM cas WHERE kind = 'operator') AND phase <> 'grad_weight'
    AND source_id IN (SELECT id FROM source WHERE layout = 'mamf'
        OR substr(layout, 1, 6) = 'liger-' OR substr(layout, 1, 8) = 'simumax-');
UPDATE measurement SET mode = CASE phase WHEN 'update' THEN 'training_step'
    ELSE 'forward_backward' END
  WHERE mode = phase AND phase IN ('grad_data', 'grad_weight', 'update');
ALTER TABLE source RENAME COLUMN layout TO mapping;
-- schema 5
ALTER TABLE measurement ADD COLUMN recompute TEXT NOT NULL DEFAULT 'none';
-- schema 6
ALTER TABLE measurement ADD COLUMN job TEXT NOT NULL DEFAULT '';
