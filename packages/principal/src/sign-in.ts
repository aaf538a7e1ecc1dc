/** An identity provider with which people sign in at the console, as they choose it. */
export interface NamedProvider {
  /** Part of addresses. */
  readonly id: string;
  /** Label of its button on the sign-in page. */
  readonly name: string;
}

/** A browser that an identity provider has sent back, as the router hands it to the control plane. */
export interface SignInReturn {
  readonly providerId: string;
  /** Value of the browser's cookie; empty where there is none. */
  readonly attempt: string;
  /** Query of the URL to which the provider sent the browser back. */
  readonly query: string;
  readonly ipAddress: string;
  readonly userAgent: string;
}
