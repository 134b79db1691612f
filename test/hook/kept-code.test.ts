import { expect, test } from "vitest";
import { keptCodeIn, spoilKeptCode } from "../cli/support/kept-code.ts";
import { ShownMail } from "./support/shown-mail.ts";

test("a hook that shows mail keeps the code for that once, and then reads it", async () => {
  const mail = await ShownMail.open("claude", "post-tool");
  const kept = keptCodeIn(mail.world);
  expect(kept).toHaveProperty("hook-claude-post-tool-showing");
  await mail.send("second");
  expect((await mail.hook("post-tool")).said).toContain("second");
  expect(keptCodeIn(mail.world)).toEqual(kept);
});

test("code for shown mail that V8 rejects is in the way of no other hook", async () => {
  const mail = await ShownMail.open("claude", "post-tool");
  spoilKeptCode(mail.world, "hook-claude-post-tool-showing");
  // It acknowledges the mail, so the next one shows none.
  await mail.hook("pre-tool");
  expect((await mail.hook("post-tool")).said).toBe("");
  const kept = keptCodeIn(mail.world);
  expect(kept).toHaveProperty("hook-claude-post-tool");
  expect(kept).not.toHaveProperty("hook-claude-post-tool-showing");
});
