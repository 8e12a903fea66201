"""HLE-Verified: finding and repairing what is wrong with an exam, and measuring again."""
