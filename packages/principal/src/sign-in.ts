/** An identity provider for the console's sign-in. */
export interface NamedProvider {
  /** Part of URLs. */
  readonly id: string;
  /** Label of its button on the sign-in page. */
  readonly name: string;
}

/** A browser that an identity provider has redirected back, as the router passes it to the control plane. */
export interface SignInReturn {
  readonly providerId: string;
  /** Value of the browser's cookie; empty where there is none. */
  readonly attempt: string;
  /** Query of the URL to which the provider redirected the browser. */
  readonly query: string;
  readonly ipAddress: string;
  readonly userAgent: string;
}
