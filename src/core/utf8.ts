/** Made when it is first needed: most commands measure no text, and its making is not free. */
let encoder: InstanceType<typeof TextEncoder> | null = null;

/** How many bytes a text has as UTF-8. */
export function utf8Length(text: string): number {
  encoder ??= new TextEncoder();
  return encoder.encode(text).length;
}
