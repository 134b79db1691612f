/** The least command that could change a store: it opens the file named by its first word, commits once, says so and ends. */
import { loadSqliteDriver } from "../../src/store/sqlite/driver.ts";

const BODY = "x".repeat(200);

const handle = loadSqliteDriver()(process.argv[2] ?? "");
handle.exec("PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
handle.exec("CREATE TABLE IF NOT EXISTS events (id INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT");
handle.exec("BEGIN IMMEDIATE");
const row = handle.prepare("INSERT INTO events (body) VALUES (?) RETURNING id").get(BODY);
handle.exec("COMMIT");
process.stdout.write(`${String(row?.["id"])}\n`, () => process.exit(0));
