import { expect, test } from "vitest";
import { keptCodeIn } from "../cli/support/kept-code.ts";
import { ShownMail } from "./support/shown-mail.ts";

test("a hook that shows mail keeps the code for that once, and then reads it", async () => {
  const mail = await ShownMail.open("claude", "post-tool");
  const kept = keptCodeIn(mail.world);
  expect(kept).toHaveProperty("hook-claude-post-tool-showing");
  await mail.send("second");
  expect((await mail.hook("post-tool")).said).toContain("second");
  expect(keptCodeIn(mail.world)).toEqual(kept);
});
