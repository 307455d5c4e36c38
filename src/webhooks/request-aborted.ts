/** The sender hung up while its body was read: no one waits for the answer. */
export class RequestAborted extends Error {
  override readonly name = 'RequestAborted';
  constructor() {
    super('The sender hung up before its body was complete.');
  }
}
