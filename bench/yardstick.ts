/** The programs that ours is compared with. When one of them fails, that says nothing about ours. */
export class YardstickFailed extends Error {}

/** Whether a worker or a program of this name runs nothing of ours. */
function isYardstick(name: string): boolean {
  return /(^|\/)bare-[^/]*$/.test(name);
}

/** The error to throw when the program `name` has failed. */
export function failureOf(name: string, message: string): Error {
  return isYardstick(name) ? new YardstickFailed(message) : new Error(message);
}
