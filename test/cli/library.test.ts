/** The built library, as another program would import it. */
import { execFileSync } from "node:child_process";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, inject, it } from "vitest";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const library = pathToFileURL(join(dirname(inject("tt")), "index.js")).href;

it("opens a store and takes the stick", () => {
  const root = temporaryDirectory();
  const program = `
    import { isRefusal, openTalkingStick } from ${JSON.stringify(library)};
    const stick = await openTalkingStick({ agentId: "script:test" });
    const room = await stick.joinPath({ contextPath: "." });
    const turn = await stick.waitForTurn({ roomId: room.roomId, maxWaitMs: 0 });
    const refused = await stick.leaveRoom({ roomId: room.roomId, reason: "bogus" });
    const untyped = await Promise.all([stick.joinPath({}), stick.waitForTurn({}), stick.getRoomState({ roomId: 3 })]);
    const nobody = await openTalkingStick({ agentId: "room" });
    console.log(JSON.stringify([turn.status, refused.error, untyped.map((answer) => answer.error), nobody.error]));
    await stick.close();`;
  const printed = execFileSync(process.execPath, ["--input-type=module", "-e", program], {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, TT_DATA_DIR: join(root, "data"), HOME: root },
  });
  expect(JSON.parse(printed)).toEqual([
    "your_turn",
    "invalid_input",
    ["invalid_path", "invalid_input", "invalid_input"],
    "invalid_input",
  ]);
});
