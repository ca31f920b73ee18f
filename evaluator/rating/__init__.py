"""From comparisons of two to one scale: Davidson, Bradley-Terry, their intervals and their doubts."""
