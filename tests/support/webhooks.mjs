/** A webhook secret. The service sends the challenge immediately if the registration gives the secret. */
export const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
