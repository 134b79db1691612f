/** What a team does all day, as fast as it goes: messages, their receipt, notes and looks at the room. */
import { accepted } from "../../../test/support/sqlite-world.ts";
import { nowUs } from "../../marks.ts";
import type { Member } from "./member.ts";

const BODY = "x".repeat(200);

/** How many operations were done, and what failed. */
export interface TeamWork {
  readonly operations: number;
  readonly faults: readonly string[];
}

/** One round is five operations. */
export async function teamWork(
  { stick, roomId }: Member,
  { to, forMs }: { readonly to: string; readonly forMs: number },
): Promise<TeamWork> {
  const untilUs = nowUs() + forMs * 1000;
  const faults: string[] = [];
  let operations = 0;
  const deeds = [
    async () => void accepted(await stick.sendMessage({ roomId, to, body: BODY })),
    async () => {
      const { confirm } = accepted(await stick.takeMessages({ limit: 1 }));
      await confirm();
      operations += 1;
    },
    async () => void accepted(await stick.getRoomState({ roomId })),
    async () => void accepted(await stick.addNote({ roomId, body: BODY })),
  ];
  while (nowUs() < untilUs) {
    for (const deed of deeds) {
      try {
        await deed();
        operations += 1;
      } catch (error) {
        faults.push(error instanceof Error ? error.message : String(error));
      }
    }
  }
  return { operations, faults };
}
