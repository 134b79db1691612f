/** A participant, over the use cases. */
import type { Participant } from "./api.ts";
import { Client, type Opened } from "./client.ts";
import { messagesOf } from "./messages.ts";
import { askIn, joinedRoom } from "./room.ts";

export function createParticipant(opened: Opened): Participant {
  const client = new Client(opened);
  const { stick, caller, directory } = client;
  const close = () => client.close();
  return {
    agentId: caller.agentId,
    harness: caller.harness,
    join: async (path = directory, options = {}) =>
      joinedRoom(client, await client.call(() => stick.joinPath({ contextPath: path, ...options }))),
    rooms: async ({ path = directory } = {}) => (await client.call(() => stick.listRooms({ contextPath: path }))).rooms,
    peers: async ({ path = directory, ...options } = {}) =>
      (await client.call(() => stick.listProjectSessions({ contextPath: path, ...options }))).sessions,
    send: (message) => client.call(() => stick.sendMessage(message)),
    ask: (question) => askIn(client, question),
    messages: (options) => messagesOf(client, options),
    perform: (operation, input = {}) => client.perform(operation, input),
    close,
    [Symbol.asyncDispose]: close,
  };
}
