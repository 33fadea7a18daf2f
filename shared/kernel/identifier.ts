/** What the service mints to name a record; nothing else names one. Source: decisions 1, "Identifiers". */
export const identifier = /^[A-Za-z0-9_-]{1,128}$/;
