/** Every tool, in the order in which clients list them: one for each operation, and the gateway to those that are not offered. */
import { OPERATIONS } from "../operations.ts";
import { gatewayTo } from "./gateway.ts";
import { type Tool, toolOf } from "./tool.ts";

export const TOOLS = toolsOf("core", "gateway");

const core = toolsOf("core");

export const DEFAULT_TOOLS: readonly Tool[] = [...core, gatewayTo(toolsOf("gateway"), core)];

function toolsOf(...sets: readonly string[]): readonly Tool[] {
  return OPERATIONS.filter(({ mcp }) => sets.includes(mcp)).map((operation) => toolOf(operation));
}
