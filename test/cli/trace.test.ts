import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { worldOfTwo } from "./support/cli-world.ts";
import { recordsIn } from "./support/running.ts";

it("the trace has a line for each step of a delivery, and no word of its body", async () => {
  const world = await worldOfTwo();
  const file = join(world.root, "trace.ndjson");
  const env = { TT_TRACE_FILE: file };
  const sent = (await world.done("msg send b:2 a-secret --json", { as: "a:1", env })).json();
  await world.done("msg recv", { as: "b:2", env });
  await world.done("msg recv", { as: "b:2", env });
  const text = readFileSync(file, "utf8");
  const lines = recordsIn(text).filter(({ kind }) => kind === "delivery");
  const [{ delivery_seq }] = lines as [Record<string, unknown>];
  const same = { kind: "delivery", message_id: sent["message_id"], delivery_seq, from: "a:1", to: "b:2" };
  expect(lines).toMatchObject([
    { ...same, state: "pending", attempt: 0, transport: null },
    { ...same, state: "in_flight", attempt: 1, transport: "cli" },
    { ...same, state: "acked", attempt: 1, transport: "cli" },
  ]);
  expect(recordsIn(text).filter(({ kind }) => kind === "detection")).toHaveLength(3);
  expect(text).not.toContain("a-secret");
});
