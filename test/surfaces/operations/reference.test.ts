/** The reference page says what the operations are now. `npm run docs` writes it again. */
import { expect, it } from "vitest";
import { operationsPage } from "../../../scripts/operations-page.ts";
import { OPERATION_NAMES } from "../../../src/core/operation-names.ts";
import { GROUPS } from "../../../src/surfaces/cli/table.ts";
import { OPERATIONS } from "../../../src/surfaces/operations.ts";

it("docs/operations.md is what npm run docs writes", async () => {
  const commands = GROUPS.flatMap((group) => group.commands);
  await expect(operationsPage(OPERATIONS, commands)).toMatchFileSnapshot("../../../docs/operations.md");
});

it("every operation is listed once, in the order of their names", () => {
  expect(OPERATIONS.map(({ name }) => name)).toEqual(OPERATION_NAMES);
});

it("every operation says in at most 400 characters what it is", () => {
  for (const { name, summary } of OPERATIONS) expect([name, summary.length <= 400]).toEqual([name, true]);
});
