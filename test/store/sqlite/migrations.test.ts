import { expect, it } from "vitest";
import { MIGRATIONS as POSTGRES_MIGRATIONS } from "../../../src/store/postgres/migrate.ts";
import { NEWEST_VERSION } from "../../../src/store/sql/schema-steps.ts";
import { MIGRATIONS } from "../../../src/store/sqlite/migrations.ts";

it("a store is at the newest version when it has taken every step", () => {
  expect([MIGRATIONS.length, POSTGRES_MIGRATIONS.length]).toEqual([NEWEST_VERSION, NEWEST_VERSION]);
});
