"""Optimisers of other packages (extra `peers`) as algorithms of campaigns.

Each of the `*_peers` modules adapts one package and is imported when a run of it begins; `facts`
says what there is, where it comes from and how it is set. All see the problem through `Points`.
"""

from rdex.campaign.peers.facts import PEERS, Peer

__all__ = ["PEERS", "Peer"]
