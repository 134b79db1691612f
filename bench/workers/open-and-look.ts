/** The shortest useful life of a process: opens the store, looks at the room, and ends. */
import { openService } from "../../src/app/open-talking-stick.ts";
import { accepted } from "../../test/support/sqlite-world.ts";

async function openAndLook(agentId: string, roomId: string): Promise<void> {
  const stick = accepted(await openService({ agentId }));
  const { room } = accepted(await stick.getRoomState({ roomId }));
  process.stdout.write(`${room.state}\n`);
  await stick.close();
}

openAndLook(process.argv[2] ?? "", process.argv[3] ?? "").catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
