/** A process that opens a store which is there, looks at a room and ends, beside one that does nothing. */
import { median, milliseconds } from "../figure.ts";
import { atMost } from "../finding.ts";
import { lifeOf } from "../life-of.ts";
import type { Row } from "../row.ts";
import type { Agent } from "../workers/agent.ts";

export const open: Row = {
  name: "open",
  async measure(shop) {
    const { env, tree } = shop.ground();
    const agent = await shop.start<Agent>("agent", { env });
    const roomId = await agent.ask("join", { agentId: "bench:agent", tree });
    const { file } = await shop.bundle("open-and-look");
    const times = { bare: [] as number[], opened: [] as number[] };
    for (let round = 0; round < shop.scale(100, 10); round += 1) {
      times.bare.push(lifeOf(["-e", "0"], { env }));
      times.opened.push(lifeOf([file, "bench:agent", roomId], { env }));
    }
    const [floor, measured] = [milliseconds(median(times.bare)), milliseconds(median(times.opened))];
    return [atMost({ what: "open, look at a room, end; against bare node, p50", floor, measured }, null)];
  },
};
