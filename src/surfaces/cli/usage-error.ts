/** The command line itself is wrong: exit 2, with the nearest right thing to type. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly next: string;

  constructor(message: string, next: string) {
    super(message);
    this.next = next;
  }
}
