/** The ports of the MCP server for a service that lives in the test's own process. */
import { asAgentId } from "../../../src/core/ids.ts";
import type { McpPorts } from "../../../src/surfaces/mcp/call.ts";
import { processOf } from "../../support/room-world.ts";
import type { ServiceWorld } from "../../support/service-world.ts";
import { hash } from "../../support/session-clues.ts";

/** Two agents share the server; which of them calls comes with the call. */
export function inProcessPorts(world: Pick<ServiceWorld, "deps" | "directory">): McpPorts {
  return {
    version: "0.0.0",
    directory: world.directory("project"),
    openDeps: async () => world.deps,
    identify: async (_, { meta }) => {
      const agentId = meta["agent"] === "b:2" ? "b:2" : "a:1";
      return {
        identity: {
          agentId: asAgentId(agentId),
          harness: "test",
          sessionId: null,
          idSource: "explicit",
          verified: true,
          isPerson: false,
          process: processOf(agentId),
          tmuxPane: null,
          formerId: null,
        },
        strategies: [],
        anchor: { process: processOf(agentId), harness: "test" },
        told: null,
      };
    },
    memory: () => ({ recallLosses: () => new Map(), rememberLosses: () => undefined }),
    claimBook: () => ({ claims: { write: () => undefined, forget: () => false }, hash }),
  };
}
