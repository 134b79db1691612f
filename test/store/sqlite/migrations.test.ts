import { expect, it } from "vitest";
import { NEWEST_VERSION } from "../../../src/store/sqlite/migrate.ts";
import { MIGRATIONS } from "../../../src/store/sqlite/migrations.ts";

it("a store is at the newest version when it has taken every step", () => {
  expect(NEWEST_VERSION).toBe(MIGRATIONS.length);
});
