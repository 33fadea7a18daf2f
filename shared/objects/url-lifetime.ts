/** Seconds for which a response's URL of a file works. Source: decisions 9. */
export const urlLifetime = 3_600;
