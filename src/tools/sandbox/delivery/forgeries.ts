// What a stranger sends, who knows the address of an endpoint and the form of a webhook. `webhooks check` and a storm
// send the same.

/** How a forged delivery differs from a genuine one: in one thing, so that it shows which check is missing. */
export interface Forgery {
  /** Headers that replace the signed ones. Undefined removes one. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly secret?: string;
  /** A body that is sent under the signature of the genuine one. */
  readonly sentBody?: (genuine: string) => string;
}

interface ForgeryWords {
  readonly words: string;
  readonly change: Forgery;
}

export const FORGERIES = {
  unsigned: {
    words: 'it is not signed',
    change: {
      headers: { 'X-Webhook-Signature': undefined, 'X-Webhook-Timestamp': undefined, 'X-Webhook-Id': undefined },
    },
  },
  stranger: { words: 'a stranger signed it', change: { secret: 'not-the-secret-of-this-business' } },
  tampered: {
    words: 'its amount was changed after signing',
    change: { sentBody: (body) => body.replace(/"amount":\s*"[^"]*"/, '"amount":"999999.00"') },
  },
} as const satisfies Readonly<Record<string, ForgeryWords>>;
