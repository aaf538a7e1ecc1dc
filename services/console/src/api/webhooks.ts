export interface Webhook {
  readonly id: number;
  readonly project: string;
  readonly name: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly is_active: boolean;
  readonly secret_hint: string;
  readonly previous_secret_expires_at: string | null;
  readonly rotation_staged: boolean;
  readonly created_at: string;
}

/** How a webhook's receiver has answered in the last day. */
export interface WebhookHealth {
  readonly webhook_id: number;
  readonly name: string;
  /** A uuid. */
  readonly project: string;
  /** Of its newest deliveries. */
  readonly succeeded: number;
  readonly failed: number;
  readonly last_attempted_at: string;
  readonly last_success: boolean;
  readonly last_error: string | null;
}

export interface Delivery {
  readonly id: number;
  readonly uuid: string;
  readonly webhook_id: number;
  readonly event: string;
  readonly success: boolean;
  readonly http_status: number | null;
  readonly request_body: string | null;
  readonly request_body_truncated?: boolean;
  /** By lowercase name; null where none are kept. */
  readonly response_headers?: Readonly<Record<string, string>> | null;
  readonly response_body: string | null;
  readonly response_body_truncated?: boolean;
  readonly error: string | null;
  readonly attempted_at: string;
  readonly duration_ms: number | null;
  /** Milliseconds by stage. */
  readonly timing: Readonly<Record<string, number>> | null;
  readonly redelivery_of: string | number | null;
}
