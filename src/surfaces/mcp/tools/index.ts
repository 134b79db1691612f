/** Every tool, in the order in which clients list them: one for each operation, and the gateway to those that are not offered. */
import { OPERATION_NAMES } from "../../../core/operation-names.ts";
import { OPERATIONS } from "../../operations.ts";
import { gatewayTo } from "../gateway.ts";
import { type Tool, toolOf } from "../tool.ts";
import { askPeer } from "./ask-peer.ts";
import { readMyMessages } from "./read-my-messages.ts";
import { replyToMessage } from "./reply-to-message.ts";
import { sendMessage } from "./send-message.ts";

/** Not defined as operations yet. */
const OTHER_CORE = [sendMessage, readMyMessages, askPeer, replyToMessage];

const core = [...toolsOf("core"), ...OTHER_CORE];
const others = toolsOf("gateway");

export const TOOLS = inOrder([...core, ...others]);
export const DEFAULT_TOOLS: readonly Tool[] = [...inOrder(core), gatewayTo(inOrder(others), core)];

function toolsOf(set: "core" | "gateway"): readonly Tool[] {
  return OPERATIONS.filter(({ mcp }) => mcp === set).map((operation) => toolOf(operation));
}

function inOrder(tools: readonly Tool[]): readonly Tool[] {
  return OPERATION_NAMES.flatMap((name) => tools.find((tool) => tool.name === name) ?? []);
}
