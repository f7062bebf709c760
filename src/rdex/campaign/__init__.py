"""Many runs: problems x algorithms x seeds, on processes or a cluster, resumable.

`run` is the whole campaign in one call; `Plan` says what is to be run; `algorithms` knows who can
run. Writes to the `store` and to nothing else. Imports `store` and the rooms to its left.
"""

from rdex.campaign.algorithms import Algorithm
from rdex.campaign.campaign import CampaignError, CampaignOutcome, CampaignProgress, run
from rdex.campaign.plan import Plan

__all__ = ["Algorithm", "CampaignError", "CampaignOutcome", "CampaignProgress", "Plan", "run"]
