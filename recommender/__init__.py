"""Rank abstracts against interest profiles. Imports numpy, scipy, scikit-learn and itself."""
