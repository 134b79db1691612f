/** The command that is printed below a message answers it, wherever it was read and whichever agent has sent it. */
import { expect, it } from "vitest";
import { makeRepository } from "../support/git-repository.ts";
import { type CliWorld, type RunOptions, worldOfTwo } from "./support/cli-world.ts";

const A = { as: "a:1" };
const B = { as: "b:2" };

/** Reads the mail as text and does what its last line says. */
async function answered(world: CliWorld, options: RunOptions, text = "8080") {
  const { stdout } = await world.done("msg recv", options);
  const id = /^└ answer: tt reply (\S+) "…"$/m.exec(stdout)?.[1] as string;
  return world.tt(["reply", id, text, "--json"], options);
}

it("from another project", async () => {
  const world = await worldOfTwo();
  const cwd = world.directory("elsewhere");
  makeRepository(cwd);
  await world.done("join", { ...B, cwd });
  await world.done("msg send b:2 which port?", A);
  expect((await answered(world, { ...B, cwd })).json()).toMatchObject({ deliveries: [{ to: "a:1" }] });
  expect((await world.done("msg recv --json", A)).json()).toMatchObject({ messages: [{ body: "8080" }] });
});

it("to a sender of the mailbox protocol, whose mail can be read by its name", async () => {
  const world = await worldOfTwo();
  const none = await world.tt("msg recv --from boss --json", B);
  expect([none.code, none.error()]).toEqual([5, expect.objectContaining({ error: "unknown_recipient" })]);
  await world.done("mailbox enqueue --from boss --to b:2 report");
  await world.done("msg send b:2 other talk", A);
  expect((await world.done("msg recv --from boss --peek --json", B)).json()).toMatchObject({
    messages: [{ body: "report", from: "boss" }],
  });
  expect((await answered(world, B, "done")).json()).toMatchObject({ deliveries: [{ to: "boss" }] });
  expect((await world.done("msg recv --from boss --after 0 --json", B)).json()).toMatchObject({
    messages: [{ body: "report", state: "acked" }],
  });
  expect((await world.done("mailbox dequeue boss --json")).json()).toMatchObject({ payload: "done" });
});

it("to a sender that has left the room", async () => {
  const world = await worldOfTwo();
  await world.done("msg send b:2 which port?", A);
  await world.done("leave", A);
  expect((await answered(world, B)).json()).toMatchObject({ deliveries: [{ to: "a:1", will_be_seen: "unknown" }] });
  expect((await world.done("msg recv --json", A)).json()).toMatchObject({ messages: [{ body: "8080" }] });
});
