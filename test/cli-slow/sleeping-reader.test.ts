import { expect, it } from "vitest";
import { CliWorld } from "../cli/support/cli-world.ts";
import { seqs, upTo } from "../cli/support/running.ts";
import { writerIn } from "../cli/support/writer.ts";

const EVENTS = 3000;

it("a reader that stops reading holds up nobody, and misses nothing when it goes on", async () => {
  const world = new CliWorld();
  const writer = await writerIn(world);
  const following = world.start("events --follow --after 0 --json");
  await following.until(({ stdout }) => stdout.includes("member_joined"));
  following.child.stdout?.pause();
  const body = "x".repeat(500);
  for (const index of upTo(EVENTS - 1)) await writer.note(`${index} ${body}`);
  // All is written, and the stream stands still in the middle of a line that nobody takes.
  expect(seqs(following).length).toBeLessThan(EVENTS);
  following.child.stdout?.resume();
  await following.until(({ stdout }) => stdout.includes(`"event_seq":${EVENTS},`));
  following.kill("SIGTERM");
  expect((await following.ended).code).toBe(0);
  expect(seqs(following)).toEqual(upTo(EVENTS));
  expect(following.records.at(-1)).toEqual({ type: "cursor", cursor_event_seq: EVENTS });
});
