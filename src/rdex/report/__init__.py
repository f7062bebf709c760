"""Tables in, text, LaTeX, figures and the HTML page out; no statistics of its own.

`campaign_report` writes the folder of a campaign, `run_report` the page of one run. Imports
`scoring`, `store`, `common`, and `engine.settings` for the schedules.
"""

from rdex.report.campaign import Written, campaign_report
from rdex.report.contents import Options
from rdex.report.single import run_report

__all__ = ["Options", "Written", "campaign_report", "run_report"]
