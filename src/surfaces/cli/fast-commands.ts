/**
 * The commands that agents run all day. They are a program of their own, which starts faster without the others.
 * `table.ts` lists them as well, and answers every line that is not a plain use of one of them.
 */
import { status } from "./commands/glance.ts";
import { msgRecv } from "./commands/msg-recv.ts";
import { msgSend, reply } from "./commands/msg-send.ts";
import { state } from "./commands/rooms.ts";
import { heartbeat, pass, release, tryOnce, wait } from "./commands/stick.ts";

export const EVERYDAY = [wait, tryOnce, release, pass, heartbeat, msgSend, msgRecv, reply, state, status] as const;
