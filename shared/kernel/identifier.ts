/** The identifiers that the service creates for its records. Source: decisions 1, "Identifiers". */
export const identifier = /^[A-Za-z0-9_-]{1,128}$/;
