"""UQ's dataset (sections 2.1, A and H): sources of questions, rules, their funnel, and near duplicates."""
